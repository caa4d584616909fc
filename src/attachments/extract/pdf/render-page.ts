import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Pixels of the longer side of a page: letters of ten points are thirty pixels high. */
const SIDE = 2_400;

/** A page as a PNG, for OCR. */
export async function renderPage(page: PDFPageProxy): Promise<Buffer> {
  const { createCanvas } = await import('@napi-rs/canvas');
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: SIDE / Math.max(width, height) });
  const canvas = createCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  const canvasContext = canvas.getContext('2d');
  await page.render({ canvasContext, viewport, canvas }).promise;
  page.cleanup();
  return canvas.toBuffer('image/png');
}
