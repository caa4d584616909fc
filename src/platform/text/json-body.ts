const fence = /^```(?:json)?[^\S\n]*\n/;

/**
 * The JSON of a reply: the text without blanks around it and without a fence of Markdown, which models
 * put around JSON. A fence that is still open is taken off too. Pure.
 */
export function jsonBody(text: string): string {
  const whole = text.trim();
  const open = fence.exec(whole);
  if (open === null) return whole;
  return whole
    .slice(open[0].length)
    .replace(/\n?`{1,3}$/, '')
    .trim();
}
