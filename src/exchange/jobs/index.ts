import { recoveryJob, signUpJob } from '../../features/people/index.ts';
import type { Task } from '../../features/schedules/index.ts';
import type { JobKind, RunnableJob } from '../../platform/job.ts';
import { mailJob } from '../../platform/mail.ts';
import { deliverJob } from '../deliver/deliver-job.ts';
import type { ExchangeParts } from '../parts.ts';
import { notificationJob } from '../webhooks/notification-job.ts';
import { applyEventsJob } from '../webhooks/queue-carrier-events.ts';
import { accessJob } from './access.ts';
import { cancelGuideJob } from './cancel-guide.ts';
import { checkOrdersJob } from './check-orders.ts';
import { connectNowJob } from './connect-now.ts';
import type { DueJob } from './due-job.ts';
import { exportJob } from './export.ts';
import { findingsJob } from './findings.ts';
import { guidesJob } from './guides.ts';
import { housekeepingJob } from './housekeeping.ts';
import { inTransitJob } from './in-transit.ts';
import { labelsJob } from './labels.ts';
import { readGuidesJob } from './read-guides.ts';
import { readUploadJob } from './read-upload.ts';
import { renewJob } from './renew.ts';
import { rerenderJob } from './rerender.ts';
import { subscribeJob } from './subscribe.ts';
import { syncJob } from './sync.ts';
import { syncNowJob } from './sync-now.ts';
import { traceJob } from './trace.ts';

/** The job of each scheduled task. */
export const RECURRING: Readonly<Record<Task, JobKind<DueJob>>> = {
  sync: syncJob,
  renew: renewJob,
  subscribe: subscribeJob,
  housekeeping: housekeepingJob,
  trace: traceJob,
  access: accessJob,
  rerender: rerenderJob,
  findings: findingsJob,
};

/** Every kind of job. Most jobs only wait for the network, so their concurrency is high. */
export const JOBS: readonly RunnableJob<ExchangeParts>[] = [
  syncJob,
  renewJob,
  subscribeJob,
  housekeepingJob,
  notificationJob,
  mailJob,
  recoveryJob,
  signUpJob,
  syncNowJob,
  connectNowJob,
  applyEventsJob,
  traceJob,
  accessJob,
  rerenderJob,
  findingsJob,
  guidesJob,
  readGuidesJob,
  inTransitJob,
  cancelGuideJob,
  labelsJob,
  deliverJob,
  readUploadJob,
  exportJob,
  checkOrdersJob,
];
