# Files of other tools: the command, the plugin's sources, and right answers that others computed.
script_test(integration import_ctf import_ctf.py)
script_test(integration import_files import_files.py)
script_test(integration import_cases import_cases.py)
script_test(integration import_causes import_causes.py)
script_test(integration import_cuzk import_cuzk.sh)
