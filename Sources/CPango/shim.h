// cairo's own header, and the part of Pango that draws cards.
//
// Pango's header cannot be included: its pkg-config file has -pthread among the flags, and SwiftPM
// warns about that in every build. These declarations of <pango/pangocairo.h> have been the same
// since Pango 1.46; .ci/run has a C compiler compare them with the header.
#ifndef CPANGO_H
#define CPANGO_H

#include <cairo.h>

#ifndef __PANGO_H__
#define PANGO_SCALE 1024

typedef struct _PangoRectangle {
    int x;
    int y;
    int width;
    int height;
} PangoRectangle;

typedef enum { PANGO_ALIGN_LEFT = 0, PANGO_ALIGN_RIGHT = 2 } PangoAlignment;
typedef enum { PANGO_DIRECTION_LTR = 0, PANGO_DIRECTION_RTL = 1 } PangoDirection;
typedef enum { PANGO_ELLIPSIZE_NONE = 0, PANGO_ELLIPSIZE_END = 3 } PangoEllipsizeMode;
typedef enum { PANGO_WEIGHT_NORMAL = 400, PANGO_WEIGHT_BOLD = 700 } PangoWeight;
typedef enum { PANGO_WRAP_WORD = 0, PANGO_WRAP_WORD_CHAR = 2 } PangoWrapMode;

// GLib has a macro around this.
void g_object_unref(void *object);
#else
_Static_assert(PANGO_SCALE == 1024, "");
_Static_assert(PANGO_ALIGN_RIGHT == 2, "");
_Static_assert(PANGO_DIRECTION_RTL == 1, "");
_Static_assert(PANGO_ELLIPSIZE_END == 3, "");
_Static_assert(PANGO_WRAP_WORD == 0 && PANGO_WRAP_WORD_CHAR == 2, "");
_Static_assert(PANGO_WEIGHT_NORMAL == 400 && PANGO_WEIGHT_BOLD == 700, "");
#endif

typedef struct _PangoContext PangoContext;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoLanguage PangoLanguage;
typedef struct _PangoAttrList PangoAttrList;
typedef struct _PangoAttribute PangoAttribute;

PangoLayout *pango_cairo_create_layout(cairo_t *cairo);
void pango_cairo_show_layout(cairo_t *cairo, PangoLayout *layout);
void pango_cairo_context_set_font_options(
    PangoContext *context, const cairo_font_options_t *options);

void pango_context_set_language(PangoContext *context, PangoLanguage *language);
void pango_context_set_round_glyph_positions(PangoContext *context, int rounds);
PangoLanguage *pango_language_from_string(const char *language);

PangoFontDescription *pango_font_description_new(void);
void pango_font_description_free(PangoFontDescription *description);
void pango_font_description_set_family(PangoFontDescription *description, const char *families);
void pango_font_description_set_weight(PangoFontDescription *description, PangoWeight weight);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);

PangoAttrList *pango_attr_list_new(void);
void pango_attr_list_unref(PangoAttrList *list);
void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute);
PangoAttribute *pango_attr_insert_hyphens_new(int inserts);

PangoContext *pango_layout_get_context(PangoLayout *layout);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *attributes);
void pango_layout_set_font_description(
    PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_height(PangoLayout *layout, int height);
void pango_layout_set_wrap(PangoLayout *layout, PangoWrapMode wrap);
void pango_layout_set_ellipsize(PangoLayout *layout, PangoEllipsizeMode ellipsize);
void pango_layout_set_line_spacing(PangoLayout *layout, float factor);
void pango_layout_set_alignment(PangoLayout *layout, PangoAlignment alignment);
PangoDirection pango_layout_get_direction(PangoLayout *layout, int index);
void pango_layout_get_extents(
    PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);
int pango_layout_get_line_count(PangoLayout *layout);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);

#endif
