/* SPDX-License-Identifier: MIT */
/* Devices this process has reported, so that a keyframe can repeat them. */
#pragma once

/* Emits gaptrace_gpu:device for each. */
void device_repeat(void);
