/** What is due when: one row a recurring task, claimed by a tick that is told the time. */
export {
  CLAIM_AT_ONCE,
  claimDue,
  type DueTask,
  dueAt,
  hasten,
  INSTANCE,
  type Planned,
  planMissing,
  putOff,
  putRight,
  recover,
  schedule,
  setBack,
  type Task,
  unschedule,
  unscheduleAll,
} from './schedules.ts';
