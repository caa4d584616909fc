/**
 * A PDF with a line of text on each page.
 *
 * @param bytes its least size, filled with an unused object.
 * @param annotations dictionaries of the first page's fields and comments, without `<<` and `>>`.
 */
export function testPdf({
  pages,
  bytes = 0,
  annotations = [],
}: {
  pages: number;
  bytes?: number;
  annotations?: readonly string[];
}): Buffer {
  const drawn = annotations.map((one) => `<< /Type /Annot /Rect [9 9 90 90] ${one} >>`).join(' ');
  const kids = Array.from({ length: pages }, (_page, index) => `${4 + index * 2} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [${kids.join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...kids.flatMap((_kid, index) => {
      const text = `BT /F1 24 Tf 72 720 Td (This is page ${index + 1}) Tj ET`;
      const annots = index === 0 && drawn !== '' ? `/Annots [${drawn}] ` : '';
      return [
        `<< /Type /Page /Parent 2 0 R ${annots}/MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        stream(text),
      ];
    }),
    ...(bytes === 0 ? [] : [stream('x'.repeat(bytes))]),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

const stream = (text: string): string => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;
