import type { Plugin } from 'rolldown';

export function steadySpreads(): Plugin;
