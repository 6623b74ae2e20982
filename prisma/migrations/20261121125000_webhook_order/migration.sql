-- Nothing asks for deliveries by the time at which they are due. While the statistics say that nothing waits, this index
-- looked as good to PostgreSQL as the one of their order, and was read whole for each delivery of a backlog.
drop index if exists webhook_delivery_due;
