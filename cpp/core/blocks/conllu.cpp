#include <array>

#include "core/blocks/treebanks.hpp"

namespace treekernels {

namespace {

struct Word {
    std::array<std::string_view, 5> fields;  // as in DependencyStyle::Field
    std::size_t head;                        // counted from 1; 0 for the root
};

// A sentence that the core does not take.
struct NotASentence {};

std::string_view stripped(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\v\f"), text.size());
    return text.substr(begin, text.find_last_not_of(" \t\v\f") + 1 - begin);
}

// A number of at most eight digits.
std::size_t number_of(std::string_view digits) {
    if (digits.empty() || digits.size() > 8) throw NotASentence();
    std::size_t number = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') throw NotASentence();
        number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    return number;
}

class SentencesOfBlock {
public:
    SentencesOfBlock(Dag& dag, const DependencyStyle& style) : dag_(dag), style_(style) {}

    SentenceRows read(std::string_view block, bool is_last, const Task& task) {
        std::size_t at = 0;
        std::uint32_t line_number = 0, first_line = 0;
        try {
            while (at < block.size()) {
                task.check();
                const std::size_t end = block.find('\n', at);
                std::string_view line = block.substr(at, end - at);
                while (line.ends_with('\r')) line.remove_suffix(1);
                at = std::min(end, block.size() - 1) + 1;
                ++line_number;
                if (line.starts_with('#')) {
                    note_comment(line.substr(1));
                } else if (!is_blank(line)) {
                    if (!is_open_) first_line = line_number - 1;
                    is_open_ = true;
                    add_word(line);
                } else if (is_open_) {
                    add_sentence(first_line);
                    rows_.end = at;
                    rows_.line_count = line_number;
                }
            }
            if (is_last && is_open_) add_sentence(first_line);
            if (is_last) {
                rows_.end = block.size();
                rows_.line_count = line_number;
            }
            rows_.may_go_on = !is_last;
        } catch (const NotASentence&) {
        }
        return std::move(rows_);
    }

private:
    void note_comment(std::string_view comment) {
        const std::size_t equals = comment.find('=');
        if (equals == comment.npos) return;
        const std::string_view name = stripped(comment.substr(0, equals));
        if (name == "sent_id") id_ = stripped(comment.substr(equals + 1));
        if (name == "text") text_ = stripped(comment.substr(equals + 1));
    }

    void add_word(std::string_view line) {
        std::array<std::string_view, 10> columns;
        for (std::size_t place = 0; place < columns.size(); ++place) {
            const std::size_t end = line.find('\t');
            if ((end == line.npos) != (place + 1 == columns.size())) throw NotASentence();
            columns[place] = line.substr(0, end);
            line.remove_prefix(std::min(end, line.size() - 1) + 1);
        }
        // Several words together, or one that is not there.
        if (columns[0].find_first_of("-.") != columns[0].npos) return;
        if (columns[0].starts_with('0') || number_of(columns[0]) != words_.size() + 1) throw NotASentence();
        words_.push_back({{columns[1], columns[2], columns[3], columns[4], columns[7]}, number_of(columns[6])});
    }

    void add_sentence(std::uint32_t line) {
        if (words_.empty()) throw NotASentence();
        order_words();
        std::vector<Node> nodes(words_.size(), kNone);
        for (auto place = order_.rbegin(); place != order_.rend(); ++place) nodes[*place] = node_of(*place, nodes);
        rows_.roots.push_back(nodes[order_.front()]);
        rows_.lines.push_back(line);
        rows_.ids.push_back(id_);
        rows_.texts.push_back(text_);
        words_.clear();
        is_open_ = false;
        id_ = text_ = {};
    }

    // Heads before their dependents.
    void order_words() {
        order_.clear();
        below_.assign(words_.size(), {});
        for (std::size_t place = 0; place < words_.size(); ++place) {
            const std::size_t head = words_[place].head;
            if (head > words_.size() || (head == 0 && !order_.empty())) throw NotASentence();
            if (head == 0) {
                order_.push_back(place);
            } else {
                below_[head - 1].push_back(place);
            }
        }
        for (std::size_t next = 0; next < order_.size(); ++next)
            order_.insert(order_.end(), below_[order_[next]].begin(), below_[order_[next]].end());
        if (order_.size() != words_.size()) throw NotASentence();
    }

    Node node_of(std::size_t place, const std::vector<Node>& nodes) {
        children_.clear();
        const Word& word = words_[place];
        const std::string_view tag = word.fields[style_.tag_is_xpos ? DependencyStyle::kXpos : DependencyStyle::kUpos];
        if (style_.lexical) {
            for (const std::size_t child : below_[place]) children_.push_back(nodes[child]);
            if (!style_.only_words) {
                children_.push_back(dag_.intern_node(label(tag), {}));
                children_.push_back(dag_.intern_node(relation_label(word), {}));
            }
            return dag_.intern_node(word_label(word), children_);
        }
        const Node leaf = dag_.intern_node(word_label(word), {});
        const Node tagged = dag_.intern_node(label(tag), {&leaf, 1});
        bool is_tagged = false;
        for (const std::size_t child : below_[place]) {
            if (child > place && !is_tagged) {
                children_.push_back(tagged);
                is_tagged = true;
            }
            children_.push_back(nodes[child]);
        }
        if (!is_tagged) children_.push_back(tagged);
        return dag_.intern_node(relation_label(word), children_);
    }

    Label word_label(const Word& word) {
        label_.clear();
        append_lexeme(word);
        return label(label_);
    }

    Label relation_label(const Word& word) {
        if (!style_.composed || word.head == 0) return label(word.fields[DependencyStyle::kRelation]);
        label_ = word.fields[DependencyStyle::kRelation];
        label_ += '<';
        append_lexeme(words_[word.head - 1]);
        label_ += ',';
        append_lexeme(word);
        label_ += '>';
        return label(label_);
    }

    void append_lexeme(const Word& word) {
        for (const auto& [text, field] : style_.lexeme) {
            label_ += text;
            if (field == DependencyStyle::kPos) {
                append_letter(word);
            } else if (field) {
                label_ += word.fields[*field];
            }
        }
    }

    // The part of speech as a letter.
    void append_letter(const Word& word) {
        std::string_view tag = word.fields[DependencyStyle::kUpos];
        if (tag.empty() || tag == "_") tag = word.fields[DependencyStyle::kXpos];
        const auto letter = style_.letters.find(std::string(tag));
        if (letter != style_.letters.end()) {
            label_ += letter->second;
        } else if (tag.empty()) {
            label_ += '_';
        } else if (static_cast<unsigned char>(tag.front()) >= 0x80) {
            throw NotASentence();
        } else {
            const char first = tag.front();
            label_ += first >= 'A' && first <= 'Z' ? static_cast<char>(first - 'A' + 'a') : first;
        }
    }

    Label label(std::string_view text) {
        if (text.size() > style_.longest_label || text.find('\0') != text.npos) throw NotASentence();
        return dag_.intern_label(text.empty() ? "\"\"" : text);
    }

    Dag& dag_;
    const DependencyStyle& style_;
    std::vector<Word> words_;
    bool is_open_ = false;  // whether there was a line of the sentence
    std::string_view id_, text_;
    std::vector<std::size_t> order_;
    std::vector<std::vector<std::size_t>> below_;
    std::vector<Node> children_;
    std::string label_;
    SentenceRows rows_;
};

}  // namespace

SentenceRows read_conllu(Dag& dag, std::string_view block, bool is_last, const DependencyStyle& style,
                         const Task& task) {
    return SentencesOfBlock(dag, style).read(block, is_last, task);
}

}  // namespace treekernels
