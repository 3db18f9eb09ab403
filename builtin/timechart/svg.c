// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The picture: a head, a scale, a row for each CPU and each task, and the cells for the script.
 *
 * As it is written the picture shows the whole time.  Each lane has one path for each of its
 * colours, so a browser has few elements to lay out; what is narrower than a pixel is a column
 * with the shares of what is in it.  The script fills the same paths again at each zoom.
 */
#include <string.h>

#include "builtin/timechart/draw.h"
#include "data/reader.h"
#include "ui/html/escape.h"

#define PAPER "#fbfaf5"

/* Of the file: paths as it is opened, data at worst, and all. */
enum { MOST_PATHS = 1500000, LEAST_DATA = 300000, MOST_BYTES = 4800000 };

static const char style[] =
	".perf-time text{font:11px monospace;fill:#000}"
	".perf-time .cells text{pointer-events:none;font-size:10px}"
	".perf-time .b{cursor:pointer;fill:#0645ad}.perf-time .hide{display:none}"
	".perf-time .row:hover .back{fill:#efe9d8}.perf-time .dim{opacity:.25}"
	".perf-time .hit .name{fill:#c800e6;font-weight:bold}"
	".perf-time .back{fill:#f3f1ea}.perf-time .grid{stroke:#ccc}.perf-time "
	".wake{stroke:#2a7a2a;fill:none}"
	".perf-time .irq{fill:#2a7a2a}"
	".run{fill:#5b8fd6}.wait{fill:#f0b93a}.blocked{fill:#d64545}.hi{fill:#e00000}"
	".mix{fill:#8d99ae}"
	".p0{fill:#5b8fd6}.p1{fill:#57a773}.p2{fill:#c27ba0}.p3{fill:#8e7cc3}.p4{fill:#d79a5b}"
	".p5{fill:#4fb3bf}"
	".c0{fill:#eee8d5}.c1{fill:#e3d9bd}.c2{fill:#d3c69d}.c3{fill:#bfae7b}.c4{fill:#a8955b}"
	".c5{fill:#8f7c3f}"
	".found{fill:#c800e6}.other{fill:#dcdad2}"
	".freq{fill:#b04a8a}.read{fill:#5b8fd6}.write{fill:#d79a5b}.sync{fill:#8e7cc3}"
	".send{fill:#c27ba0}"
	".receive{fill:#57a773}.poll{fill:#d9d4c3}.error{fill:#d64545}";

/* ---- texts ---- */

static void put_row_name(const struct scene *s, const struct row *r, struct strbuf *b)
{
	const char *name = strtab_get(&s->names, r->name);

	strbuf_f(b, "%s:%" PRIu32, *name ? name : "?", r->pid);
}

static void put_amount(const struct scene *s, const struct row *r, struct strbuf *b)
{
	static const char *const units[] = { "bytes", "Kbytes", "Mbytes", "Gbytes" };
	double bytes = (double)r->bytes;
	int unit = 0;

	if (!s->io_calls) {
		if (r->run > 5000000000)
			strbuf_f(b, " (%.2fs)", (double)r->run / 1e9);
		else
			strbuf_f(b, " (%.1fms)", (double)r->run / 1e6);
		return;
	}
	while (bytes > 1024 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	strbuf_f(b, " (%.1f %s)", bytes, units[unit]);
}

/* ---- lanes ---- */

static void add_lane(struct drawing *d, u32 lane, enum lane_kind kind, u32 row, u32 y, u32 height)
{
	if (lane == NOBODY)
		return;
	vec_push(&d->lanes,
		 (struct drawn_lane){
			 .lane = lane, .row = row, .kind = kind, .y = y, .height = height });
}

static void layout_cpus(struct drawing *d)
{
	struct scene *s = d->s;

	vec_for_each(&s->cpu_order, n) {
		const struct cpu_row *c = &s->cpus.items[*n];
		bool power =
			!s->t->tasks_only && (c->idle_lane != NOBODY || c->freq_lane != NOBODY);

		vec_push(&d->rows,
			 (struct drawn_row){ .cpu = true,
					     .number = *n,
					     .y = d->height,
					     .height = CPU_HEIGHT + (power ? POWER_HEIGHT : 0) });
		add_lane(d, c->lane, LANE_CPU, (u32)d->rows.count - 1, d->height, CPU_HEIGHT);
		if (power) {
			add_lane(d, c->idle_lane, LANE_IDLE, (u32)d->rows.count - 1,
				 d->height + CPU_HEIGHT, POWER_HEIGHT);
			add_lane(d, c->freq_lane, LANE_FREQ, (u32)d->rows.count - 1,
				 d->height + CPU_HEIGHT, POWER_HEIGHT);
		}
		d->height += vec_last(&d->rows)->height + SPACE;
	}
	d->height += 3 * SPACE;
}

/* Places the lanes of I/O: what comes in above the middle, what goes out below. */
static void layout_io(struct drawing *d, const struct row *r, u32 y)
{
	static const struct {
		enum io_kind kind;
		u32 from, height;
	} places[] = {
		{ IO_POLL, 0, 2 },    { IO_SYNC, 0, 2 },  { IO_READ, 0, 1 },
		{ IO_RECEIVE, 0, 1 }, { IO_WRITE, 1, 1 }, { IO_SEND, 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		add_lane(d, r->io[places[i].kind], LANE_IO + places[i].kind, (u32)d->rows.count - 1,
			 y + places[i].from * TASK_HEIGHT / 2, places[i].height * TASK_HEIGHT / 2);
}

static void layout_tasks(struct drawing *d)
{
	struct scene *s = d->s;

	vec_for_each(&s->shown, n) {
		const struct row *r = &s->rows.items[*n];

		vec_push(&d->rows,
			 (struct drawn_row){ .number = *n, .y = d->height, .height = TASK_HEIGHT });
		d->places[*n] = (u32)d->rows.count;
		if (s->io_calls)
			layout_io(d, r, d->height);
		else
			add_lane(d, r->lane, LANE_TASK, (u32)d->rows.count - 1, d->height,
				 TASK_HEIGHT);
		d->height += TASK_HEIGHT + SPACE;
	}
}

/* ---- frame ---- */

static void put_head(const struct drawing *d, struct strbuf *b)
{
	const struct scene *s = d->s;
	const char *path = data_path(session_data(s->session));
	u32 width = s->t->width;

	strbuf_f(b,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 "
		 "0 %u %u\" "
		 "class=\"perf-time\" data-left=\"%d\" data-plot=\"%u\" "
		 "data-top=\"%d\">\n<style>%s</style>\n"
		 "<rect width=\"100%%\" height=\"100%%\" fill=\"" PAPER "\"/>\n",
		 width, d->height + FOOT, width, d->height + FOOT, LEFT, d->plot, TOP, style);
	strbuf_str(b, "<title>perf timechart: ");
	html_escape(b, path, strlen(path));
	strbuf_str(b, "</title>\n");
}

static void put_legend(const struct drawing *d, struct strbuf *b)
{
	static const char *const of_tasks[][2] = {
		{ "run", "running" },     { "wait", "waiting for a CPU" },
		{ "blocked", "blocked" }, { "mix", "several tasks" },
		{ "c3", "idle state" },   { "freq", "frequency" }
	};
	static const char *const of_calls[][2] = { { "read", "read" },       { "write", "write" },
						   { "sync", "sync" },       { "send", "send" },
						   { "receive", "receive" }, { "poll", "poll" },
						   { "error", "failed" } };
	const char *const(*items)[2] = d->s->io_calls ? of_calls : of_tasks;
	size_t count = d->s->io_calls ? ARRAY_SIZE(of_calls) : ARRAY_SIZE(of_tasks);
	u32 x = LEFT;

	strbuf_str(b, "<g class=\"legend\">");
	for (size_t i = 0; i < count; i++) {
		strbuf_f(b,
			 "<rect class=\"%s\" x=\"%u\" y=\"28\" width=\"10\" height=\"10\"/>"
			 "<text x=\"%u\" y=\"37\">%s</text>",
			 items[i][0], x, x + 14, items[i][1]);
		x += 30 + 7 * (u32)strlen(items[i][1]);
	}
	strbuf_str(b, "</g>\n");
}

/* Adds title, legend, buttons and scale, which the script keeps in sight. */
static void put_top(const struct drawing *d, struct strbuf *b)
{
	const struct scene *s = d->s;
	const char *path = data_path(session_data(s->session));
	u32 width = s->t->width;

	strbuf_f(b,
		 "<g class=\"head\"><rect width=\"%u\" height=\"%d\" fill=\"" PAPER "\"/>\n"
		 "<text x=\"10\" y=\"18\" style=\"font-size:14px\">",
		 width, TOP - 2);
	html_escape(b, path, strlen(path));
	strbuf_f(b, ": %.3f seconds, %zu CPUs, %zu of %zu tasks</text>\n",
		 (double)(s->chart.last - s->chart.first) / 1e9, s->cpu_order.count, s->shown.count,
		 s->rows.count);
	put_legend(d, b);
	strbuf_f(b,
		 "<text class=\"reset b hide\" x=\"10\" y=\"37\">Reset zoom</text>\n"
		 "<text class=\"search b\" x=\"%u\" y=\"18\" text-anchor=\"end\">Search</text>\n"
		 "<g class=\"scale\">",
		 width - 10);
	draw_scale(d, b);
	strbuf_str(b, "</g></g>\n");
	strbuf_f(b,
		 "<g class=\"foot\"><rect y=\"%u\" width=\"%u\" height=\"%d\" fill=\"" PAPER
		 "\"/>\n"
		 "<text class=\"details\" x=\"10\" y=\"%u\">wheel, + and -: zoom; drag, arrows: "
		 "move; shift and "
		 "wheel: scroll; Escape: all</text>\n<text class=\"matched\" x=\"%u\" y=\"%u\" "
		 "text-anchor=\"end\"> </text></g>\n",
		 d->height, width, FOOT, d->height + 17, width - 10, d->height + 17);
}

static void put_row(const struct drawing *d, const struct drawn_row *row, struct strbuf *b)
{
	const struct scene *s = d->s;
	struct strbuf name = STRBUF_INIT;
	size_t len;

	if (row->cpu)
		strbuf_f(&name, "CPU %" PRIu32, row->number);
	else
		put_row_name(s, &s->rows.items[row->number], &name);
	if (!row->cpu)
		put_amount(s, &s->rows.items[row->number], &name);
	len = MIN(name.len,
		  html_whole_letters(name.s, MIN(name.len, (size_t)(LEFT - 14) / LETTER)));
	strbuf_f(b, "<g class=\"row %s\"><title>", row->cpu ? "cpu" : "task");
	html_escape(b, name.s, name.len);
	strbuf_f(b,
		 "</title><rect class=\"back\" x=\"0\" y=\"%u\" width=\"%u\" height=\"%u\"/>"
		 "<text class=\"name\" x=\"6\" y=\"%u\">",
		 row->y, s->t->width, row->height, row->y + 12);
	html_escape(b, name.s, len);
	strbuf_str(b, "</text></g>\n");
	strbuf_release(&name);
}

static void draw_some(void *arg, size_t from, size_t until, struct strbuf *b)
{
	const struct drawing *d = arg;

	for (size_t i = from; i < until; i++)
		draw_lane(d, &d->lanes.items[i], b);
}

static void put_lanes(struct drawing *d, struct strbuf *b)
{
	d->grid = 1;
	do {
		strbuf_clear(b);
		lanes_to_text(d, draw_some, d, SIZE_MAX, b);
		d->grid *= 2;
	} while (b->len > MOST_PATHS && d->grid < d->plot);
}

static void put_rows(const struct drawing *d, struct strbuf *b)
{
	put_head(d, b);
	strbuf_str(b, "<g class=\"rows\">\n");
	vec_for_each(&d->rows, row)
		put_row(d, row, b);
	strbuf_str(b, "</g>\n<g class=\"cells\">\n");
}

static void put_end(struct drawing *d, size_t before, struct strbuf *b)
{
	size_t other;

	strbuf_str(b, "</g>\n<g class=\"wakes\">");
	draw_wakes(d, b);
	strbuf_str(b, "</g>\n");
	put_top(d, b);
	strbuf_str(b, "<script><![CDATA[\n");
	other = before + b->len + strlen(timechart_script) + d->s->chain_bytes;
	draw_data(d, other + LEAST_DATA < MOST_BYTES ? MOST_BYTES - other : LEAST_DATA, b);
	strbuf_str(b, timechart_script);
	strbuf_str(b, "]]></script>\n</svg>\n");
}

void timechart_draw(struct scene *s, struct out *out)
{
	struct drawing d = { .s = s, .height = TOP, .plot = s->t->width - LEFT - RIGHT };
	struct strbuf lanes = STRBUF_INIT, *b = out_buf(out);
	size_t before;

	d.places = xcalloc(s->rows.count + 1, sizeof(*d.places));
	if (!s->io_calls)
		layout_cpus(&d);
	layout_tasks(&d);
	put_rows(&d, b);
	put_lanes(&d, &lanes);
	before = b->len + lanes.len;
	strbuf_add(b, strbuf_cstr(&lanes), lanes.len);
	out_flush(out);
	put_end(&d, before, b);
	out_done(out);
	strbuf_release(&lanes);
	free(d.places);
	vec_release(&d.rows);
	vec_release(&d.lanes);
}
