import type { ChatTurn, Item, TurnView } from './turn-view.js';

/** A turn's reply as Markdown: its texts, or the object that it ended with. Pure. */
export function replyMarkdown({ items, output }: TurnView): string {
  if (output !== undefined) return `\`\`\`json\n${JSON.stringify(output.value, null, 2)}\n\`\`\``;
  return items.flatMap((item) => (item.kind === 'text' ? [item.text.trim()] : [])).join('\n\n');
}

/** The turns of a conversation as Markdown, without superseded ones. Pure. */
export function conversationMarkdown(title: string, turns: readonly ChatTurn[]): string {
  const parts = turns
    .filter(
      ({ supersededBy, submission }) => supersededBy === undefined && submission === undefined,
    )
    .flatMap(({ user, view }) => [
      `## You\n\n${[user.text, ...user.files.map(({ name }) => `(file: ${name})`)].join('\n\n').trim()}`,
      `## Reply\n\n${whole(view)}`,
    ]);
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}

/** The texts with a line for each call between them. */
function whole(view: TurnView): string {
  if (view.output !== undefined) return replyMarkdown(view);
  return view.items.flatMap(lineOf).join('\n\n');
}

function lineOf(item: Item): string[] {
  if (item.kind === 'text') return [item.text.trim()];
  if (item.kind === 'steered') return [`> ${item.text.replaceAll('\n', '\n> ')}`];
  return item.kind === 'tool' ? [`*Tool call: ${item.name} (${item.status})*`] : [];
}
