script_test(lint events events.py)
