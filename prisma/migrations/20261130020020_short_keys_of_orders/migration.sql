-- The id of the job is enough of a key for an order that a job placed: the name of the transaction before it made the key, and its index, three
-- times as long, and put it at a place by chance (docs/decisions/0047-what-a-write-logs.md).
update sandbox_order set key = regexp_replace(key, '^[0-9A-Z]+(?=:[0-9]+$)', '') where key ~ '^[0-9A-Z]+:[0-9]+$';
