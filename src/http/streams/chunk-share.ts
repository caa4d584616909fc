import { LoopShare } from '../../platform/async/loop-share.js';

/** Chunks of 64 KiB that are received in one turn of the event loop: they take a few milliseconds. */
const MOST = 8;

/** Share of the event loop for all files of the process together. */
export const chunkShare = new LoopShare(MOST);
