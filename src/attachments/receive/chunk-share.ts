import { LoopShare } from '../../platform/loop-share.js';

/** Chunks of 64 KiB that are received in one turn of the event loop: they take a few milliseconds. */
const MOST = 8;

/** One share for all files of the process, as they share the event loop. */
export const chunkShare = new LoopShare(MOST);
