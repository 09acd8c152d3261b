/** Who did what in an organisation, when and from where; kept for a year. */

export { RETENTIONS } from './store.ts';
export {
  type Act,
  actsBefore,
  type Doer,
  type DoneAct,
  noteAct,
  type PersonDoing,
} from './trail.ts';
