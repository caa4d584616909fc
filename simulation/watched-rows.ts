/**
 * Promises that a single change of a row can break, which no row shows afterwards. Triggers note
 * each as a row of `breaches`.
 */
export const watchRows = `
  create table breaches (kind text not null, turn_id text not null, note text not null);

  create function note_claim() returns trigger language plpgsql as $$ begin
    insert into breaches values ('taken-over', new.id, 'attempt ' || new.attempt
      || ' claimed the turn while attempt ' || old.attempt || ' had its lease');
    return new;
  end $$;
  create trigger live_lease before update on turns for each row
    when (new.attempt > old.attempt and old.lease_until > now()) execute function note_claim();

  create function note_write() returns trigger language plpgsql as $$
  -- A fork copies the events of all attempts.
  declare owner integer := (select attempt from turns where id = new.turn_id and copied_from is null);
  begin
    if new.attempt <> owner then
      insert into breaches values ('out-of-order', new.turn_id, 'attempt ' || new.attempt
        || ' stored events after attempt ' || owner || ' had claimed the turn');
    end if;
    return new;
  end $$;
  create trigger fence before insert on turn_archives for each row execute function note_write();

  create function note_unapproved() returns trigger language plpgsql as $$
  -- Of the rule of the session, whatever the approval says.
  declare quorum json := (select session.permissions -> 'ask' -> 0 from sessions session
    join turns turn on turn.session_id = session.id
    where turn.id = new.turn_id and session.permissions -> 'ask' -> 0 ->> 'rule' = new.name);
  declare approving integer := (select count(distinct answer.principal_id) from approval_answers answer
    join approvals approval on approval.id = answer.approval_id
    where approval.turn_id = new.turn_id and approval.call_id = new.call_id
      and approval.decision = 'approve' and answer.decision = 'approve');
  begin
    if approving < (quorum ->> 'count')::integer then
      insert into breaches values ('ran-unapproved', new.turn_id, new.call_id || ' began when ' || approving
        || ' people had approved of ' || (quorum ->> 'count'));
    end if;
    return new;
  end $$;
  create trigger quorum_first before insert on tool_calls for each row
    when (new.status = 'claimed') execute function note_unapproved();

  create function note_decision() returns trigger language plpgsql as $$ begin
    insert into breaches values ('decision-differs', new.turn_id, new.id || ' was ' || old.decision
      || ', and was made ' || new.decision);
    return new;
  end $$;
  -- The end of a turn replaces a decision that it did not apply.
  create trigger one_decision before update on approvals for each row
    when (old.decision is not null and new.decision is distinct from old.decision
      and (new.decision <> 'cancelled' or old.applied_attempt is not null)) execute function note_decision();
`;
