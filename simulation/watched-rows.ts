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
`;
