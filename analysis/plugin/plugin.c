/* SPDX-License-Identifier: MIT */
/*
 * The plugin `gaptrace` of babeltrace2. This file alone is built with default visibility: the
 * loader looks its sections' getters up by name and silently skips a plugin that hides them.
 */
#include "analysis/plugin/filter_gaps.h"
#include "analysis/plugin/sink_report.h"
#include "analysis/plugin/source_import.h"

#include <babeltrace2/babeltrace.h>

/* clang-format off */
BT_PLUGIN_MODULE()

BT_PLUGIN(gaptrace);
BT_PLUGIN_DESCRIPTION("Why GPUs idle: gaps and their causes from gaptrace recordings");
BT_PLUGIN_AUTHOR("The gaptrace authors");
BT_PLUGIN_LICENSE("MIT");
BT_PLUGIN_VERSION(0, 1, 0, NULL);

BT_PLUGIN_FILTER_COMPONENT_CLASS(gaps, filter_gaps_next);
BT_PLUGIN_FILTER_COMPONENT_CLASS_DESCRIPTION(gaps,
	"Turn a gaptrace recording into its GPUs' gaps and their parts");
BT_PLUGIN_FILTER_COMPONENT_CLASS_HELP(gaps,
	"See the manual page babeltrace2-filter.gaptrace.gaps(7).");
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(gaps, filter_gaps_init);
BT_PLUGIN_FILTER_COMPONENT_CLASS_FINALIZE_METHOD(gaps, filter_gaps_finalize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(
	gaps, filter_gaps_iterator_init);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(
	gaps, filter_gaps_iterator_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(report, sink_report_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(report,
	"Report why the GPUs of a gaptrace recording idled");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(report,
	"See the manual page babeltrace2-sink.gaptrace.report(7).");
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(report, sink_report_init);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(report, sink_report_finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(report, sink_report_graph_is_configured);

#define SOURCE_IMPORT(class, name, text)                                                           \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_WITH_ID(auto, class, name, source_import_next);           \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_DESCRIPTION_WITH_ID(auto, class, text);                   \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_HELP_WITH_ID(auto, class,                                 \
		"See the manual page babeltrace2-source.gaptrace(7).");                            \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_INITIALIZE_METHOD_WITH_ID(                                \
		auto, class, source_import_init_##class);                                          \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_QUERY_METHOD_WITH_ID(                                     \
		auto, class, source_import_query_##class);                                         \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_FINALIZE_METHOD_WITH_ID(                                  \
		auto, class, source_import_finalize);                                              \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_WITH_ID(         \
		auto, class, source_import_iterator_init);                                         \
	BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD_WITH_ID(           \
		auto, class, source_import_iterator_finalize)

SOURCE_IMPORT(nsys, SOURCE_IMPORT_NSYS,
	"Read exports of Nsight Systems (nsys export --type sqlite)");
SOURCE_IMPORT(kineto, SOURCE_IMPORT_KINETO,
	"Read traces of Kineto, PyTorch's profiler (json, json.gz)");
SOURCE_IMPORT(cuzk_log, SOURCE_IMPORT_CUZK_LOG,
	"Read what a cuzk daemon wrote to its standard output and error");
