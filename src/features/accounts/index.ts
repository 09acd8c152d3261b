/** People: who they are, and what each may do in which organisation. */
export { type Membership, membershipsOf, ROLES, type Role } from './members.ts';
