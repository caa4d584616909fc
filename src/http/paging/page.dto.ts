/** A page of a list, beside the list itself. */
export class PageDto {
  /** Page token: the `cursor` of the next page. Absent on the last page. */
  nextCursor?: string;
}
