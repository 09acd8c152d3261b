/** The acts in an organisation: who, what, when and from where; stored for a year. */

export { RETENTIONS } from './store.ts';
export {
  type Act,
  actsBefore,
  type Doer,
  type DoneAct,
  INSTANCE_ACTOR,
  type KeyDoing,
  lastOf,
  noteAct,
  type PersonDoing,
  type PersonOrOperator,
} from './trail.ts';
