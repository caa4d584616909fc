import readWorkbook from 'read-excel-file/node';
import { checkArchive } from './open-archive.js';
import type { ReadBudget, TextFound } from './text-found.js';

type Cell = string | number | boolean | Date | null;

/** Each sheet under its name, a row a line, its cells as in CSV. Rows after `maxChars` are not read. */
export async function readXlsx(
  content: Buffer,
  { maxChars }: Pick<ReadBudget, 'maxChars'>,
): Promise<TextFound> {
  await checkArchive(content);
  const lines: string[] = [];
  let length = 0;
  for (const { sheet, data } of await readWorkbook(content)) {
    lines.push(`# ${sheet}`);
    for (const row of data as readonly (readonly Cell[])[]) {
      if (length > maxChars) break;
      const line = row.map(toCsv).join(',').replace(/,+$/, '');
      lines.push(line);
      length += line.length + 1;
    }
    lines.push('');
  }
  return { text: lines.join('\n'), via: 'text' };
}

function toCsv(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString().replace('T00:00:00.000Z', '');
  const text = String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
