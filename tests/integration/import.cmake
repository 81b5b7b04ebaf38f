# Files of other tools: the command, the plugin's sources, and right answers that others computed.
