/* SPDX-License-Identifier: MIT */
/*
 * The cpu device, but that it can be lost: the next upload costs it, and from then on it refuses
 * all, as a CUDA device does after an illegal access. In the place of device_find(), by the
 * linker's
 * --wrap; which devices are to be lost is in LOSSY_DEVICES from the start, as bits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The device's next upload costs it. */
void lossy_device_lose(uint32_t index);
bool lossy_device_has_lost(uint32_t index);
