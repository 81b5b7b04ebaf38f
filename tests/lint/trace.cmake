script_test(lint events events.py)
script_test(lint poison poison.sh)
