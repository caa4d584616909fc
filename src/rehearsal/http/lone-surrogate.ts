/**
 * Where JSON has an escape of half a surrogate pair without its other half: the index of the
 * escape, or -1. Escapes are the only way in: bytes that are not UTF-8 are no text at all.
 */
export function loneSurrogateIn(json: string): number {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return -1;
  const escapes = /\\(?:u([0-9a-fA-F]{4})|.)/gs;
  let open: { at: number; end: number } | undefined;
  for (let match = escapes.exec(json); match !== null; match = escapes.exec(json)) {
    const unit = Number.parseInt(match[1] ?? '0', 16);
    const isLow = unit >= 0xdc_00 && unit <= 0xdf_ff;
    const closes = isLow && open?.end === match.index;
    if (open && !closes) return open.at;
    if (isLow && !closes) return match.index;
    const isHigh = unit >= 0xd8_00 && unit <= 0xdb_ff;
    open = isHigh ? { at: match.index, end: escapes.lastIndex } : undefined;
  }
  return open ? open.at : -1;
}
