// How V8 compiles, for a program that mostly runs for less than a second: machine code of the first tier at once,
// and the costliest compiler only for what has run for seconds. Flags hold for every thread of the process, and only
// for what is compiled after this file was read. Figures: docs/decisions/0020-compile-for-short-runs.md.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--always-sparkplug');
setFlagsFromString('--invocation-count-for-turbofan=500000');
