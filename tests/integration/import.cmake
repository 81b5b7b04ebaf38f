# Files of other tools: the command, the plugin's sources, and right answers that others computed.
script_test(integration import_ctf import_ctf.py TIMEOUT 300)
