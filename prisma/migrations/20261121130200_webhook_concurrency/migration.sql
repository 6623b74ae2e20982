-- A turn of lease, request and result takes about 20 ms under load: ten at once were just enough for 500 events a second.
alter table webhook_endpoint alter max_concurrency set default 20;
