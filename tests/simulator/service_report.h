/* SPDX-License-Identifier: MIT */
/* From a service's plan to its run as gaptrace diff reads it: simulated, analysed, told as JSON. */
#pragma once

#include "analysis/diff/run.h"
#include "tests/simulator/service.h"

/* Gives the report's JSON to the caller, who frees it. The program ends when anything fails. */
char *service_report(const struct service_plan *plan, const struct weather_plan *weather,
	uint64_t seed, size_t *out_length);

/* The same, read back. */
struct run *service_report_run(const struct service_plan *plan, const struct weather_plan *weather,
	uint64_t seed, const char *name);
