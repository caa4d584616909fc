import { randomBytes } from 'node:crypto';

/**
 * A PDF of one page, filled up to a size with unique bytes, so that no two files share storage.
 *
 * @param {number} bytes about
 */
export function makePdf(bytes) {
  const text = 'BT /F1 24 Tf 72 720 Td (A page of the bench) Tj ET';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  const filler = randomBytes(bytes);
  /** @type {Buffer[]} */
  const parts = [Buffer.from('%PDF-1.4\n')];
  let length = parts[0]?.length ?? 0;
  /** @type {number[]} */
  const offsets = [];
  const add = (/** @type {Buffer} */ part) => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.from(`${index + 1} 0 obj\n${object}\nendobj\n`));
  }
  offsets.push(length);
  add(Buffer.from(`6 0 obj\n<< /Length ${bytes} >>\nstream\n`));
  add(filler);
  add(Buffer.from('\nendstream\nendobj\n'));
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = offsets.length + 1;
  const at = length;
  add(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}`));
  add(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`));
  return Buffer.concat(parts);
}
