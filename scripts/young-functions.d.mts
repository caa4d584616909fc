import type { Plugin } from 'rolldown';

export function youngFunctions(): Plugin;
