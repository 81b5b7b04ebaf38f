/* SPDX-License-Identifier: MIT */
/* Standard input, output and error of a program that was started with some of them closed. */
#pragma once

/*
 * First thing in main(): the next file or socket to be opened would take a closed one's number, and
 * with it whatever is said. Opened the wrong way round, so that using them fails as it did.
 */
void standard_streams_open(void);

/* Last thing in main(): the exit code, which is an error's when something printed got lost. */
int standard_streams_finish(const char *program, int exit_code);
