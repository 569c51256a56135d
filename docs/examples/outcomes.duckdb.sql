-- The same for DuckDB, over what `pin topics tail dispatched --from start --count 100000 > outcomes.jsonl` prints: each outcome once, and
-- the current one of each notification.
create or replace table outcomes as
select distinct on (notificationId, outcomeSeq) *
from (select unnest(value) from read_json_auto('outcomes.jsonl', format = 'newline_delimited'))
order by notificationId, outcomeSeq;

create or replace view current_outcomes as
select * from outcomes
qualify row_number() over (partition by notificationId order by outcomeSeq desc) = 1;

select channel, status, count(*) as notifications, avg(attempts) as attempts
from current_outcomes
group by channel, status
order by channel, status;
