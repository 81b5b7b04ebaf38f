// SPDX-License-Identifier: MIT
// gaptrace.h is valid C++: this compiles with every warning an error.
#include "gaptrace/gaptrace.h"

namespace
{

class traced_span
{
public:
	explicit traced_span(const char *name)
		: span_(gaptrace_span_begin(name, gaptrace_work GAPTRACE_NO_WORK))
	{
	}
	traced_span(const traced_span &) = delete;
	traced_span &operator=(const traced_span &) = delete;
	~traced_span()
	{
		gaptrace_span_end(&span_);
	}

private:
	gaptrace_span span_;
};

} // namespace

void use_from_cxx(gaptrace_mutex *mutex);

void use_from_cxx(gaptrace_mutex *mutex)
{
	traced_span span("from C++");

	gaptrace_mutex_lock(mutex);
	gaptrace_mutex_unlock(mutex);
}
