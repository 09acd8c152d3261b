/** What is due when: one row a recurring task, claimed by a tick that is told the time. */
export {
  claimDue,
  dueAt,
  HOUSE,
  hasten,
  type Planned,
  planMissing,
  putOff,
  schedule,
  type Task,
  unscheduleAll,
} from './schedules.ts';
