/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_reader.h"

enum status nsys_rows_note_damage(struct nsys_reader *reader, const struct nsys_table *table)
{
	if (!table->fault[0]) {
		return STATUS_OK;
	}
	return nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0,
		"%s: %s; %llu of its rows could be read", table->shape->table, table->fault,
		(unsigned long long)table->row_count);
}

enum status nsys_rows_each(struct nsys_reader *reader, const struct nsys_shape *shape,
	nsys_use_row use, void *context, struct diag *diag)
{
	struct nsys_table table;
	enum status status = nsys_table_open(&reader->database, shape, UINT32_MAX, &table);

	while (status == STATUS_OK && table.state == NSYS_TABLE_OPEN) {
		status = nsys_table_step(&reader->database, &table, diag);
		if (status == STATUS_OK && table.state == NSYS_TABLE_OPEN) {
			status = use(reader, &table, context);
		}
	}
	if (status == STATUS_OK && (table.state == NSYS_TABLE_ENDED || table.is_other)) {
		status = nsys_rows_note_damage(reader, &table);
	}
	nsys_table_close(&table);
	return status;
}
