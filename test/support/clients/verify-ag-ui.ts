import { verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { expect } from '@jest/globals';
import { from } from 'rxjs';

/** Fails where the protocol's own client would. */
export function verifyAgUi(events: readonly object[]): void {
  for (const event of events) EventSchemas.parse(event);
  const faults: unknown[] = [];
  // The client has a copy of rxjs of its own.
  const source = from(events) as unknown as Parameters<ReturnType<typeof verifyEvents>>[0];
  verifyEvents()(source).subscribe({ error: (fault) => faults.push(fault) });
  expect(faults).toEqual([]);
}
