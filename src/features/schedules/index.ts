/** Due times: one row per recurring task, claimed by a tick at a given time. */
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
