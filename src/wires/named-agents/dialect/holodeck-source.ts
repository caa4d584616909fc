import type { Source } from '../../../events/turn-event.js';
import type { HolodeckSource } from './holodeck-event.js';

export function toAgentSource({ type, title, url, citedText, location }: Source): HolodeckSource {
  return { type, title, url, cited_text: citedText, location };
}
