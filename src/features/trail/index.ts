/** Who did what in an organisation, when and from where; kept for a year. */
export {
  type Act,
  actsBefore,
  type Doer,
  type DoneAct,
  forgetActs,
  noteAct,
  type PersonDoing,
} from './trail.ts';
