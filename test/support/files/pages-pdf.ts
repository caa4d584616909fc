/** Content of a page: lines of text, a picture over a share of it, or both. */
export interface PdfPage {
  lines?: readonly string[];
  picture?: {
    /** A grey JPEG. */
    jpeg: Buffer;
    width: number;
    height: number;
    /** Share of the page's sides, from 0 to 1. Default: 1. */
    share?: number;
  };
}

/** A PDF of these pages, as a scanner or a word processor makes it, or both in turn. */
export function pagesPdf(pages: readonly PdfPage[]): Buffer {
  const kids = pages.map((_page, index) => `${4 + index * 3} 0 R`);
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids.join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((page, index) => {
      const [contents, image] = [5 + index * 3, 6 + index * 3];
      const resources = `<< /Font << /F1 3 0 R >> /XObject << /Im1 ${image} 0 R >> >>`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${contents} 0 R /Resources ${resources} >>`,
        stream('', Buffer.from(draw(page))),
        toImage(page.picture),
      ];
    }),
  ];
  const pieces: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  let at = pieces[0]?.length ?? 0;
  const offsets = objects.map((object, index) => {
    const piece = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]);
    const offset = at;
    pieces.push(piece);
    at += piece.length;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...pieces, Buffer.from(trailer)]);
}

function draw({ lines = [], picture }: PdfPage): string {
  const share = picture?.share ?? 1;
  const image = `q ${612 * share} 0 0 ${792 * share} 0 0 cm /Im1 Do Q`;
  const text = lines.map((line, index) => `BT /F1 14 Tf 72 ${760 - 20 * index} Td (${line}) Tj ET`);
  return [...(picture === undefined ? [] : [image]), ...text].join('\n');
}

function toImage(picture: PdfPage['picture']): string | Buffer {
  if (picture === undefined) return '<< >>';
  const { jpeg, width, height } = picture;
  const about = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode `;
  return stream(about, jpeg);
}

function stream(about: string, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${about}/Length ${content.length} >>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ]);
}
