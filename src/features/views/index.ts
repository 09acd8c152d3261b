/** Views: the filters of a list that a person keeps under a name. */
export { listViews, removeView, saveView, VIEW_FIELDS } from './views.ts';
