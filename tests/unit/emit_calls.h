/* SPDX-License-Identifier: MIT */
/* One call of every function of gaptrace.h, with values a reader of the recording can check. */
#pragma once

/* Every event at least once; what the values are is said in emit_calls.c. */
void emit_calls(void);
