/** Views: the filters of a list that a person keeps under a name. */
export { listViews, removeView, type SavedView, saveView, VIEW_FIELDS } from './views.ts';
