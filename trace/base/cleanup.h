/* SPDX-License-Identifier: MIT */
/*
 * Ownership helpers: AUTO destroys at the end of the scope, MOVE hands a pointer on and forgets it.
 * A type takes part by DEFINE_AUTO after its destructor's declaration.
 */
#pragma once

#define MUST_CHECK __attribute__((warn_unused_result))

#define AUTO(destroy) __attribute__((cleanup(destroy##_auto)))

#define MOVE(pointer)                                                                              \
	__extension__({                                                                            \
		__typeof__(pointer) moved_ = (pointer);                                            \
		(pointer) = 0;                                                                     \
		moved_;                                                                            \
	})

/* Defines what AUTO(destroy) calls for a variable of type `type *`. */
#define DEFINE_AUTO(type, destroy)                                                                 \
	static inline void destroy##_auto(type **pointer)                                          \
	{                                                                                          \
		destroy(*pointer);                                                                 \
	}
