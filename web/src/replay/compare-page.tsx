import { useCallback, useState } from 'react';
import type { TurnComparison } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { Link } from '../app/link.js';
import { Loaded, Page } from '../app/page.js';
import { useResource } from '../app/use-resource.js';
import { Spinner } from '../ui/spinner.js';
import { AlignedCalls } from './aligned-calls.js';
import { isUnended, sideNames, type ComparedTurn } from './compared-facts.js';
import { ComparedTexts } from './compared-texts.js';
import { FactsTable } from './facts-table.js';
import { useLiveText } from './use-live-text.js';

/** Milliseconds between two looks at turns that run. */
const LOOK_MS = 1_000;

/** Two turns side by side, live while one of them runs. */
export function ComparePage({ turnId, otherId }: { turnId: string; otherId: string }) {
  const load = useCallback(() => client().turns.compare(turnId, otherId), [turnId, otherId]);
  // Unknown before the first answer: then there is nothing to look at again.
  const [goesOn, setGoesOn] = useState(false);
  const compared = useResource(load, goesOn ? LOOK_MS : undefined);
  const { value } = compared;
  const isOn = value !== undefined && (isUnended(value.left) || isUnended(value.right));
  if (isOn !== goesOn) setGoesOn(isOn);
  return (
    <Page
      title="Compare"
      lead={value === undefined ? 'Two turns side by side.' : <Lead comparison={value} />}
    >
      <Loaded from={compared} what="the turns">
        {(comparison) => <Compared comparison={comparison} onEnd={compared.reload} />}
      </Loaded>
    </Page>
  );
}

function Compared({ comparison, onEnd }: { comparison: TurnComparison; onEnd: () => void }) {
  const { left, right, tools } = comparison;
  const names = sideNames(comparison);
  const onLeft = useLiveText(left.turnId, isUnended(left), onEnd);
  const onRight = useLiveText(right.turnId, isUnended(right), onEnd);
  const fault = onLeft.fault ?? onRight.fault;
  return (
    <>
      {fault !== undefined && <FaultNote fault={fault} />}
      <FactsTable comparison={comparison} names={names} />
      <AlignedCalls tools={tools} names={names} />
      <ComparedTexts
        names={names}
        left={isUnended(left) ? { ...left, text: onLeft.text } : left}
        right={isUnended(right) ? { ...right, text: onRight.text } : right}
      />
    </>
  );
}

function Lead({ comparison }: { comparison: TurnComparison }) {
  const { left, right } = comparison;
  const names = sideNames(comparison);
  return (
    <span className="flex flex-wrap gap-x-5 gap-y-0.5">
      <SessionLink turnId={right.replayOf ?? left.turnId} />
      <TurnLink name={names.left} turn={left} />
      <TurnLink name={names.right} turn={right} />
    </span>
  );
}

/** The session of a turn: that of a replay is hidden. */
function SessionLink({ turnId }: { turnId: string }) {
  const load = useCallback(() => client().turns.get(turnId), [turnId]);
  const { value } = useResource(load);
  if (value === undefined) return null;
  return (
    <Link href={`/sessions/${value.sessionId}`} className="text-accent-ink underline">
      Back to the session
    </Link>
  );
}

function TurnLink({ name, turn }: { name: string; turn: ComparedTurn }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {name}:{' '}
      <Link href={`/turns/${turn.turnId}`} className="text-accent-ink underline">
        Timeline
      </Link>
      {isUnended(turn) && (
        <>
          <Spinner size={13} /> {turn.status}
        </>
      )}
    </span>
  );
}
