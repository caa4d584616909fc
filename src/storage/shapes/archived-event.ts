/** The fields of an event that the archive's queries use; its `type` decides the rest (`TurnEvent`). */
export interface ArchivedEvent {
  type: string;
  attempt: number;
  seq: number;
}
