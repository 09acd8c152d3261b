/** What is due when: one row a recurring task, claimed by a tick that is told the time. */
export {
  claimDue,
  type DueTask,
  dueAt,
  HOUSE,
  putOff,
  schedule,
  type Task,
  unscheduleAll,
} from './schedules.ts';
