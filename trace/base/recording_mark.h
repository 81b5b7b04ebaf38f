/* SPDX-License-Identifier: MIT */
/*
 * What `gaptrace record` leaves in a recording's folder once its session has ended well. LTTng says
 * nowhere that it did, and only then do all streams end together: of one that ends before the
 * others something is missing.
 */
#pragma once

#define RECORDING_MARK_FILE "gaptrace-ended"
#define RECORDING_MARK_TEXT                                                                        \
	"gaptrace record ended this recording: all of its streams end at the same time.\n"
