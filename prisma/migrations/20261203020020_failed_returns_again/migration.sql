-- A deposit that could not go back is held again from now on. News of such returns that was given up before is tried again.
update rail_news set outcome = 'pending', untaken = 0, due_at = seen_at
  where kind = 'refund_ended' and rail = 'chain' and outcome = 'failed' and not (body ->> 'isDone')::boolean;
