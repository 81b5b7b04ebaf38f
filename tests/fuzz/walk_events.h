/* SPDX-License-Identifier: MIT */
/* Bytes as events for the walk: few threads and objects, so that anything meets anything. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* An event or question takes so many bytes. */
#define WALK_EVENTS_BYTES 8

/* Feeds the bytes, asks for gaps on the way and at the end, and aborts when parts do not sum. */
void walk_events_replay(const uint8_t *data, size_t size);
